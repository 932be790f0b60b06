/* A shield: the one allocation of create fails; and no step allocates.
 *
 * This program's own malloc and its kin stand in front of the C library's: they count while `watching' is set
 * and take memory from a pool that is never given back, so that nothing of the C library's is needed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/shield_alloc.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

/* ---- the program's own heap -------------------------------------------------------------------------------
 */

#ifdef __SANITIZE_ADDRESS__
#define OWN_HEAP 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_HEAP 0
#else
#define OWN_HEAP 1
#endif
#else
#define OWN_HEAP 1
#endif

static bool watching;
static unsigned long calls;

#if OWN_HEAP
enum { POOL = 192 << 20, ALIGN = 16 };
static union {
  max_align_t align;
  char bytes[POOL];
} pool;
static size_t used;

static void *get(size_t size) {
  calls += watching;
  if (size > POOL - 2 * ALIGN - used) {
    errno = ENOMEM;
    return NULL;
  }
  char *p = pool.bytes + used;
  memcpy(p, &size, sizeof size); /* for realloc */
  used += ALIGN + (size + ALIGN - 1) / ALIGN * ALIGN;
  return p + ALIGN;
}

/* External: they replace those of the C library, whose declarations they match. */
void *malloc(size_t size) {
  return get(size);
}
void free(void *memory) {
  calls += watching && memory != NULL;
}
void *calloc(size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size)
    return NULL;
  return get(count * size); /* the pool is zero and used once */
}
void *realloc(void *memory, size_t size) {
  void *const p = get(size);
  if (memory != NULL && p != NULL) {
    size_t old;
    memcpy(&old, (char *)memory - ALIGN, sizeof old);
    memcpy(p, memory, old < size ? old : size);
  }
  return p;
}
void *aligned_alloc(size_t alignment, size_t size) {
  return alignment <= ALIGN ? get(size) : NULL;
}
#endif

/* ---- create -----------------------------------------------------------------------------------------------
 */

typedef struct failing {
  long left, live;
} failing;

static void *allocate(void *context, size_t size) {
  failing *f = context;
  if (f->left-- <= 0)
    return NULL;
  f->live++;
  return malloc(size);
}

static void release(void *context, void *memory) {
  failing *f = context;
  f->live -= memory != NULL;
  free(memory);
}

static void create(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  hys_status status = HYS_ERR_MEMORY;
  long i = 0;
  for (; i < 10 && status == HYS_ERR_MEMORY; i++) {
    failing f = {i, 0};
    const hys_allocator allocator = {allocate, release, &f};
    hys_shield *shield = (hys_shield *)(void *)&f; /* something that is not NULL */
    check_label("%ld allocations", i);
    status = hys_shield_create(&shield, &r.spec, NULL, &allocator);
    CHECK_INT(status, i == 0 ? HYS_ERR_MEMORY : HYS_OK);
    CHECK((shield != NULL) == (status == HYS_OK));
    CHECK_INT(f.live, status == HYS_OK ? 1 : 0); /* one allocation is all it takes */
    hys_shield_destroy(shield, &allocator);
    CHECK_INT(f.live, 0);
  }
  CHECK_INT(i, 2);
  check_label("a terminal set that is none");
  failing f = {10, 0};
  const hys_allocator allocator = {allocate, release, &f};
  hys_shield *shield = (hys_shield *)(void *)&f;
  r.spec.n_terminal = 0;
  CHECK_INT(hys_shield_create(&shield, &r.spec, NULL, &allocator), HYS_ERR_INPUT);
  CHECK(shield == NULL);
  CHECK_INT(f.live, 0);
  hys_shield_destroy(NULL, &allocator);
  r.shield = NULL;
  rig_end(&r);
}

/* ---- steps ------------------------------------------------------------------------------------------------
 */

static void counter_counts(void) {
#if OWN_HEAP
  calls = 0;
  watching = true;
  void *volatile p = malloc(100);
  void *volatile q = realloc(p, 200);
  free(q);
  watching = false;
  CHECK_INT(calls, 3);
#else
  check_skip("the sanitizer brings its own heap");
#endif
}

/* A thousand inputs of every kind, good and bad; the shield is lost and found now and then. */
static void steps(void) {
  rig r;
  unsigned kinds = 0;
  if (!rig_read_acc(&r))
    return;
  if (rig_make(&r)) {
    int64_t now = 0;
    double d = 60.0;
    uint64_t random = 1;
    calls = 0;
    for (int i = 0; i < 1000; i++) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      const uint32_t pick = (uint32_t)(random >> 40);
      int64_t next = now + (int64_t)(pick % 40) * 1000000;
      if (r.out.wake != HYS_NEVER && r.out.wake > now && next > r.out.wake)
        next = r.out.wake;
      now = next;
      watching = true;
      if (i % 200 == 199)
        rig_acc_sample(&r, (double)now * 1e-6, d + 20.0, 22.0, 22.0); /* contradicts the model */
      else if (pick % 3 == 0)
        rig_acc_sample(&r, (double)now * 1e-6, i % 7 == 0 ? HYSI_NAN : d, 22.0, 22.0);
      else if (pick % 3 == 1)
        rig_command_at(&r, now, pick / 3 % 6, 0.1, (uint64_t)i);
      else if (pick % 21 == 2)
        rig_event(&r, (double)now * 1e-6, pick % 42 == 2 ? 3 : 0, NULL);
      else
        rig_timer_at(&r, now);
      watching = false;
      for (uint32_t k = 0; k < r.out.n_records; k++)
        kinds |= 1U << r.out.record[k].reason;
    }
    CHECK_INT(calls, 0);
    CHECK((kinds >> HYS_REASON_MODEL_MISMATCH & 1U) != 0);
    CHECK((kinds >> HYS_REASON_PASSED & 1U) != 0);
    CHECK((kinds >> HYS_REASON_RENEWED & 1U) != 0);
    watching = true;
    hys_shield_reset(r.shield);
    hys_interval box[HYS_MAX_STATES];
    hys_shield_estimate(r.shield, box);
    watching = false;
    CHECK_INT(calls, 0);
  }
  rig_end(&r);
}

CHECK_MAIN("alloc_shield", {"the allocation of create fails", create}, {"the counter counts", counter_counts},
           {"no step allocates", steps})
