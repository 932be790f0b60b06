#include "monitor/shield_alloc.h"

hys_status hys_shield_create(hys_shield **shield, const hys_spec *spec, const hys_shield_config *config,
                             const hys_allocator *allocator) {
  if (shield == NULL || spec == NULL)
    return HYS_ERR_ARG;
  *shield = NULL;
  const size_t size = hys_shield_size(spec);
  if (size == 0)
    return HYS_ERR_LIMIT;
  void *memory = hys_allocate(allocator, size);
  if (memory == NULL)
    return HYS_ERR_MEMORY;
  const hys_status status = hys_shield_init(shield, memory, size, spec, config);
  if (status != HYS_OK)
    hys_shield_destroy(memory, allocator);
  return status;
}

void hys_shield_destroy(hys_shield *shield, const hys_allocator *allocator) {
  hys_release(allocator, shield);
}
