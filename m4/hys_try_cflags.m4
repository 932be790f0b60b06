# HYS_TRY_CFLAGS(VARIABLE, FLAGS)
# Sets VARIABLE to those of FLAGS that the C compiler takes without complaint.
AC_DEFUN([HYS_TRY_CFLAGS], [
  $1=
  hys_try_save_CFLAGS=$CFLAGS
  for hys_flag in $2; do
    AC_MSG_CHECKING([whether $CC takes $hys_flag])
    CFLAGS="$hys_try_save_CFLAGS -Werror $hys_flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([[typedef int hys_dummy;]])],
      [AC_MSG_RESULT([yes]); $1="${$1:+$$1 }$hys_flag"],
      [AC_MSG_RESULT([no])])
  done
  CFLAGS=$hys_try_save_CFLAGS
])
