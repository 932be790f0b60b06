#include "monitor/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/version.h"
#include "monitor/journal_text.h"
#include "monitor/journal_writer.h"

enum { QUEUE_BYTES = 1 << 20, PATIENCE_MS = 5000 /* with the writer, at the end */ };

struct hys_journal {
  const hys_spec *spec;
  int queue;
  pid_t writer;
  bool wait, lost;
  uint64_t step, records, dropped, untold; /* untold: dropped since the last gap record */
  int64_t now;
  char public_key[65], before[65];
  hysi_text text; /* of the packet: its head first */
  char packet[HYSI_JOURNAL_LINE];
};

hys_status hys_journal_hash_file(const char *path, char hex[65]) {
  unsigned char hash[32], bytes[4096];
  crypto_generichash_state state;
  FILE *const file = path != NULL ? fopen(path, "rb") : NULL;
  if (file == NULL)
    return HYS_ERR_OPEN;
  crypto_generichash_init(&state, NULL, 0, sizeof hash);
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
    crypto_generichash_update(&state, bytes, n);
  const bool bad = ferror(file) != 0;
  fclose(file);
  crypto_generichash_final(&state, hash, sizeof hash);
  hysi_journal_hex(hex, hash);
  return bad ? HYS_ERR_OPEN : HYS_OK;
}

/* ---- the queue */

static void start_packet(hys_journal *j) {
  j->text = (hysi_text){.at = j->packet, .n = sizeof(hysi_journal_head), .size = sizeof j->packet - 256};
}

static hys_status send_packet(hys_journal *j, bool last) {
  const hysi_journal_head head = {.stamp = j->now, .last = last};
  if (j->lost)
    return HYS_ERR_WRITE;
  if (j->text.full)
    return HYS_ERR_LIMIT;
  memcpy(j->packet, &head, sizeof head);
  ssize_t n;
  do {
    n = send(j->queue, j->packet, j->text.n, MSG_NOSIGNAL | (j->wait || last ? 0 : MSG_DONTWAIT));
  } while (n < 0 && errno == EINTR);
  if (n >= 0) {
    j->records++;
    return HYS_OK;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)
    return HYS_ERR_LIMIT;
  j->lost = true;
  return HYS_ERR_WRITE;
}

static hys_status drop(hys_journal *j, hys_status status) {
  if (status != HYS_OK) {
    j->dropped++;
    j->untold++;
  }
  return status;
}

/* A gap is told of in a packet of its own, which takes little room. */
static hys_status tell_gap(hys_journal *j) {
  char packet[256];
  if (j->untold == 0)
    return HYS_OK;
  const hysi_journal_head head = {.stamp = j->now};
  memcpy(packet, &head, sizeof head);
  const int n = snprintf(packet + sizeof head, sizeof packet - sizeof head,
                         "\"type\":\"gap\",\"now\":%lld,\"dropped\":%llu", (long long)j->now,
                         (unsigned long long)j->untold);
  if (n < 0 || send(j->queue, packet, sizeof head + (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    j->lost = errno != EAGAIN && errno != EWOULDBLOCK && errno != ENOBUFS;
    return j->lost ? HYS_ERR_WRITE : HYS_ERR_LIMIT;
  }
  j->untold = 0;
  j->records++;
  return HYS_OK;
}

static hys_status send_after_gap(hys_journal *j) {
  const hys_status status = j->lost ? HYS_ERR_WRITE : tell_gap(j);
  return status == HYS_OK ? send_packet(j, false) : status;
}

/* ---- start and end */

static hys_status write_first(hys_journal *j, const hys_journal_config *c) {
  char shield[65], model[65] = "", config[65] = "";
  if (hys_journal_hash_file(c->shield_path, shield) != HYS_OK ||
      (c->model_path != NULL && hys_journal_hash_file(c->model_path, model) != HYS_OK) ||
      (c->model_config != NULL && hys_journal_hash_file(c->model_config, config) != HYS_OK))
    return HYS_ERR_OPEN;
  start_packet(j);
  hysi_text *const t = &j->text;
  hysi_text_add(t, "\"type\":\"journal\",\"schema\":\"%s\",\"shield\":", HYS_JOURNAL_SCHEMA);
  hysi_text_string(t, c->shield_path);
  hysi_text_add(t, ",\"hash\":{\"shield\":\"%s\",\"model\":\"%s\",\"config\":\"%s\"},\"public_key\":\"%s\"",
                shield, model, config, j->public_key);
  hysi_text_add(t, ",\"period\":%lld,\"observe_only\":%s,\"work_budget\":%u",
                (long long)c->spec->timing.period, c->shield.observe_only ? "true" : "false",
                (unsigned)c->shield.work_budget);
  hysi_text_add(t, ",\"plan_grid\":%lld,\"delay_grid\":%lld,\"seed\":\"%llu\",\"build\":",
                (long long)c->shield.plan_grid, (long long)c->shield.delay_grid, (unsigned long long)c->seed);
  hysi_text_string(t, hys_version_text());
  return send_packet(j, false);
}

static hys_status start_writer(hys_journal *j, const hys_journal_config *c) {
  int pair[2];
  const int size = QUEUE_BYTES;
  const int file = open(c->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return HYS_ERR_WRITE;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    close(file);
    return HYS_ERR_WRITE;
  }
  setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  fflush(NULL); /* nothing that is buffered is written twice */
  j->writer = fork();
  if (j->writer == 0) {
    close(pair[0]);
    _exit(hysi_journal_child(pair[1], file, c->key_path));
  }
  close(pair[1]);
  close(file);
  j->queue = pair[0];
  if (j->writer < 0)
    return HYS_ERR_WRITE;
  hysi_journal_hello hello;
  ssize_t n;
  do {
    n = recv(j->queue, &hello, sizeof hello, 0);
  } while (n < 0 && errno == EINTR);
  if (n != (ssize_t)sizeof hello)
    return HYS_ERR_WRITE;
  memcpy(j->public_key, hello.public_key, sizeof j->public_key);
  return (hys_status)hello.status;
}

/* true: it ended well. */
static bool end_writer(hys_journal *j) {
  int status = 0;
  if (j->queue >= 0)
    close(j->queue);
  j->queue = -1;
  if (j->writer <= 0)
    return false;
  for (int k = 0; k < PATIENCE_MS; k++) {
    const pid_t ended = waitpid(j->writer, &status, WNOHANG);
    if (ended == j->writer)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR)
      return false;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  /* Stopped, or the disk hangs. */
  kill(j->writer, SIGKILL);
  waitpid(j->writer, &status, 0);
  return false;
}

hys_status hys_journal_open(hys_journal **journal, const hys_journal_config *config) {
  if (journal == NULL)
    return HYS_ERR_ARG;
  *journal = NULL;
  if (config == NULL || config->path == NULL || config->spec == NULL || config->shield_path == NULL)
    return HYS_ERR_ARG;
  if (sodium_init() < 0)
    return HYS_ERR_INTERNAL;
  hys_journal *const j = calloc(1, sizeof *j);
  if (j == NULL)
    return HYS_ERR_MEMORY;
  j->spec = config->spec;
  j->wait = config->wait;
  j->queue = -1;
  memset(j->before, '0', 64);
  hys_status status = start_writer(j, config);
  if (status == HYS_OK)
    status = write_first(j, config);
  if (status != HYS_OK) {
    end_writer(j);
    free(j);
    return status;
  }
  start_packet(j);
  *journal = j;
  return HYS_OK;
}

const char *hys_journal_public_key(const hys_journal *journal) {
  return journal->public_key;
}
uint64_t hys_journal_dropped(const hys_journal *journal) {
  return journal->dropped;
}

void hys_journal_input(hys_journal *journal, int64_t now, const hys_input *input) {
  journal->now = now;
  start_packet(journal);
  hysi_journal_text_input(&journal->text, journal->spec, journal->step++, now, input);
}

hys_status hys_journal_output(hys_journal *journal, const hys_shield *shield, hys_status status,
                              const hys_output *output) {
  hysi_journal_text_output(&journal->text, journal->spec, shield, status, output, journal->before);
  return drop(journal, send_after_gap(journal));
}

hys_status hys_journal_note(hys_journal *journal, int64_t now, const char *key, const char *text) {
  journal->now = now;
  start_packet(journal);
  hysi_text_add(&journal->text, "\"type\":\"note\",\"now\":%lld,\"key\":", (long long)now);
  hysi_text_string(&journal->text, key);
  hysi_text_add(&journal->text, ",\"text\":");
  hysi_text_string(&journal->text, text);
  return drop(journal, send_after_gap(journal));
}

hys_status hys_journal_close(hys_journal *journal) {
  if (journal == NULL)
    return HYS_OK;
  start_packet(journal);
  hysi_text_add(&journal->text, "\"type\":\"end\",\"now\":%lld,\"steps\":%llu,\"dropped\":%llu",
                (long long)journal->now, (unsigned long long)journal->step,
                (unsigned long long)journal->dropped);
  const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
  setsockopt(journal->queue, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const hys_status status = send_packet(journal, true);
  const bool good = end_writer(journal);
  free(journal);
  return status == HYS_OK && good ? HYS_OK : HYS_ERR_WRITE;
}
