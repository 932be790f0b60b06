#include "core/version.h"

const char *hys_version_text(void) {
  return PACKAGE_VERSION;
}
