/* What the files of the command share: exit codes and one function per subcommand. */
#ifndef HYSHIELD_CLI_CLI_H
#define HYSHIELD_CLI_CLI_H

#include <stdbool.h>

/* Exit codes of every subcommand. Scripts rely on them. */
enum cli_exit {
  CLI_OK = 0,              /* done, and what was asked holds */
  CLI_VIOLATED = 1,        /* violated, forbidden state entered, not enforceable, journal not intact */
  CLI_UNKNOWN = 2,         /* not known */
  CLI_USAGE = 64,          /* the command line is wrong */
  CLI_BAD_INPUT = 65,      /* an input file is wrong */
  CLI_NO_INPUT = 66,       /* an input file cannot be opened */
  CLI_NO_CONFINEMENT = 69, /* confinement is required and not available */
  CLI_INTERNAL = 70,       /* a fault of ours */
  CLI_NO_OUTPUT = 73,      /* an output cannot be written */
  CLI_INTERRUPTED = 130    /* stopped by the user */
};

/* A subcommand: argv[0] is its name, argc counts it. Returns an exit code. */
typedef int cli_command(int argc, char **argv);

/* One line per subcommand:
 * cli_command cli_cmd_NAME; */
cli_command cli_cmd_audit;
cli_command cli_cmd_check;
cli_command cli_cmd_explain;
cli_command cli_cmd_new;
cli_command cli_cmd_drive;
cli_command cli_cmd_plot;
cli_command cli_cmd_simulate;
cli_command cli_cmd_verify;

/* `hyshield check' on a shield file (cmd_check_shield.c). `path' was given by the user and has the root
 * element <shield>. Reports on standard error, the verdict (or one JSON object) on standard output. Returns
 * an exit code. */
int cli_check_shield(const char *path, bool json, bool quiet);

#endif
