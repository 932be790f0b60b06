/* The command hyshield: finds the subcommand and hands over. */
#include <gsl/gsl_errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"

struct entry {
  const char *name;
  const char *summary; /* one line for --help */
  cli_command *run;
};

/* Only what works is listed: {"NAME", "what it does", cli_cmd_NAME}. The last entry ends the table. */
static const struct entry commands[] = {
    {"check", "read a model or a shield file and say what is wrong with it", cli_cmd_check},
    {"new", "write a commented skeleton of a shield file for a model", cli_cmd_new},
    {"verify", "reachable sets against the forbidden set: SAFE, UNSAFE or UNKNOWN", cli_cmd_verify},
    {"simulate", "point runs of a model, as CSV", cli_cmd_simulate},
    {"drive", "run a closed loop in simulated time, with or without the shield", cli_cmd_drive},
    {"plot", "draw pictures of a trace, or of two side by side", cli_cmd_plot},
    {"audit", "check a journal: chain, signatures, and by running the shield again", cli_cmd_audit},
    {"explain", "tell one decision of a journal in plain words", cli_cmd_explain},
    {NULL, NULL, NULL},
};

static void print_usage(FILE *out) {
  fputs("usage: hyshield COMMAND [ARGUMENT...]\n"
        "       hyshield --help | --version\n"
        "\n"
        "A runtime enforcement monitor for hybrid systems.\n",
        out);
  if (commands[0].name == NULL) {
    fputs("\nThis build has no commands yet.\n", out);
    return;
  }
  fputs("\ncommands:\n", out);
  for (size_t i = 0; commands[i].name != NULL; i++) {
    fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
  }
  fputs("\n`hyshield COMMAND --help' tells more of one.\n", out);
}

/* Standard output may be a full disk: a lost byte is an error, not a success. */
static int finish(int code) {
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("hyshield: cannot write to standard output\n", stderr);
    return code == CLI_OK ? CLI_NO_OUTPUT : code;
  }
  return code;
}

int main(int argc, char **argv) {
  /* What GSL returns is looked at everywhere; its handler would end the process. */
  gsl_set_error_handler_off();
  if (argc < 2) {
    print_usage(stderr);
    return CLI_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    print_usage(stdout);
    return finish(CLI_OK);
  }
  if (strcmp(argv[1], "--version") == 0) {
    return finish(cli_print_version());
  }
  for (size_t i = 0; commands[i].name != NULL; i++) {
    if (strcmp(argv[1], commands[i].name) == 0) {
      return finish(commands[i].run(argc - 1, argv + 1));
    }
  }
  fprintf(stderr, "hyshield: unknown command `%s'; see `hyshield --help'\n", argv[1]);
  return CLI_USAGE;
}
