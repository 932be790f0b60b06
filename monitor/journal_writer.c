#include "monitor/journal_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/rt/status.h"
#include "monitor/journal_text.h"

#define SECOND INT64_C(1000000000)

typedef struct writer {
  int file;
  unsigned char secret[crypto_sign_SECRETKEYBYTES];
  char prev[65]; /* of the last line */
  uint64_t lines;
  int64_t stamp; /* of the last record */
  bool unsigned_lines;
} writer;

static bool write_line(writer *w, const char *line, size_t n) {
  unsigned char hash[32];
  for (size_t done = 0; done < n;) {
    const ssize_t wrote = write(w->file, line + done, n - done);
    if (wrote < 0 && errno == EINTR)
      continue;
    if (wrote <= 0)
      return false;
    done += (size_t)wrote;
  }
  crypto_generichash(hash, sizeof hash, (const unsigned char *)line, n - 1, NULL, 0);
  hysi_journal_hex(w->prev, hash);
  w->lines++;
  return true;
}

static bool sign(writer *w) {
  char line[512], signed_text[600], hex[2 * crypto_sign_BYTES + 1];
  unsigned char signature[crypto_sign_BYTES];
  const int n = snprintf(line, sizeof line, "{\"n\":%llu,\"type\":\"signature\",\"now\":%lld,\"prev\":\"%s\"",
                         (unsigned long long)w->lines, (long long)w->stamp, w->prev);
  const int m = snprintf(signed_text, sizeof signed_text, "%s%s", HYSI_JOURNAL_DOMAIN, line);
  if (n < 0 || m < 0)
    return false;
  crypto_sign_detached(signature, NULL, (const unsigned char *)signed_text, (unsigned long long)m, w->secret);
  sodium_bin2hex(hex, sizeof hex, signature, sizeof signature);
  const int more = snprintf(line + n, sizeof line - (size_t)n, ",\"signature\":\"%s\"}\n", hex);
  w->unsigned_lines = false;
  return more > 0 && write_line(w, line, (size_t)(n + more));
}

static hys_status read_key(const char *path, unsigned char public_key[crypto_sign_PUBLICKEYBYTES],
                           unsigned char secret[crypto_sign_SECRETKEYBYTES]) {
  unsigned char seed[crypto_sign_SEEDBYTES];
  if (path == NULL) {
    crypto_sign_keypair(public_key, secret);
    return HYS_OK;
  }
  char text[2 * sizeof seed + 2] = "";
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return HYS_ERR_OPEN;
  const ssize_t n = read(file, text, sizeof text);
  close(file);
  size_t length = 0;
  const bool form =
      n == (ssize_t)(2 * sizeof seed) || (n == (ssize_t)(2 * sizeof seed) + 1 && text[n - 1] == '\n');
  if (!form || sodium_hex2bin(seed, sizeof seed, text, 2 * sizeof seed, NULL, &length, NULL) != 0 ||
      length != sizeof seed)
    return HYS_ERR_INPUT;
  crypto_sign_seed_keypair(public_key, secret, seed);
  sodium_memzero(seed, sizeof seed);
  sodium_memzero(text, sizeof text);
  return HYS_OK;
}

static bool take(writer *w, const char *packet, size_t n, char *line) {
  hysi_journal_head head;
  memcpy(&head, packet, sizeof head);
  if (w->unsigned_lines && head.stamp / SECOND != w->stamp / SECOND && !sign(w))
    return false;
  w->stamp = head.stamp;
  hysi_text text = {.at = line, .size = HYSI_JOURNAL_LINE + 256};
  hysi_text_add(&text, "{\"n\":%llu,", (unsigned long long)w->lines);
  hysi_text_add(&text, "%.*s", (int)(n - sizeof head), packet + sizeof head);
  hysi_text_add(&text, ",\"prev\":\"%s\"}\n", w->prev);
  w->unsigned_lines = true;
  return !text.full && write_line(w, line, text.n) && (head.last == 0 || sign(w));
}

int hysi_journal_child(int queue, int file, const char *key_path) {
  writer w = {.file = file};
  unsigned char public_key[crypto_sign_PUBLICKEYBYTES] = {0};
  hysi_journal_hello hello;
  memset(&hello, 0, sizeof hello);
  memset(w.prev, '0', 64);
  /* It ends when the queue does, not with the terminal; nobody else of this user may look into it. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_DUMPABLE, 0);
  for (int k = 3; k < 1024; k++) {
    if (k != queue && k != file)
      close(k);
  }
  hello.status = (int32_t)read_key(key_path, public_key, w.secret);
  sodium_bin2hex(hello.public_key, sizeof hello.public_key, public_key, sizeof public_key);
  if (send(queue, &hello, sizeof hello, MSG_NOSIGNAL) != (ssize_t)sizeof hello || hello.status != HYS_OK)
    return 1;
  char *const packet = malloc(HYSI_JOURNAL_LINE), *const line = malloc(HYSI_JOURNAL_LINE + 256);
  bool good = packet != NULL && line != NULL;
  while (good) {
    const ssize_t n = recv(queue, packet, HYSI_JOURNAL_LINE, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    good = n > (ssize_t)sizeof(hysi_journal_head) && take(&w, packet, (size_t)n, line);
  }
  /* Whoever was to close it is gone: what is there is signed, without a closing record. */
  if (good && w.unsigned_lines)
    good = sign(&w);
  sodium_memzero(w.secret, sizeof w.secret);
  free(packet);
  free(line);
  return good && close(file) == 0 ? 0 : 1;
}
