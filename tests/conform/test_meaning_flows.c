/* Public models as they were read, against their equations written here by hand: right-hand sides, what
 * invariants define, guards and resets, at random points. */
#include <math.h>

#include "tests/conform/meaning.h"
#include "tests/support/check.h"

#define NAMES(...) ((const char *const[]){__VA_ARGS__})

/* ---- a bind to a number ---- */

static void vanderpol(const double *x, double *dx) {
  dx[0] = x[1];
  dx[1] = 1.0 * (1.0 - x[0] * x[0]) * x[1] - x[0];
}
static void van_der_pol(void) {
  text_model m;
  if (meaning_open(&m, "37_vanderpol.xml", "37_vanderpol.cfg"))
    meaning_check_flow(m.automaton, "vanderpol=always", NAMES("x", "y"), 2, -3.0, 3.0, vanderpol);
  text_model_close(&m);
}

/* ---- polynomial, a single component ---- */

static void hamiltonian(const double *x, double *dx) {
  dx[0] = -2.0 * x[1];
  dx[1] = -2.0 * x[0] - 3.0 * x[0] * x[0];
}
static void hamiltonian_system(void) {
  text_model m;
  if (meaning_open(&m, "14_hamiltonian_system_1.xml", "14_hamiltonian_system_1.cfg"))
    meaning_check_flow(m.automaton, "p", NAMES("x", "y"), 2, -3.0, 3.0, hamiltonian);
  text_model_close(&m);
}

/* ---- functions, a root written as a power ---- */

static void nonlinear(const double *x, double *dx) {
  dx[0] = 2.0 * x[0] * x[0] + sqrt(x[1]);
  dx[1] = 4.0 * exp(x[0]) - 3.0 * sin(x[1]);
}
static void functions(void) {
  text_model m;
  if (meaning_open(&m, "01_test_nonlinear1.xml", NULL))
    meaning_check_flow(m.automaton, "cont_1=always", NAMES("x1", "x2"), 2, 0.1, 3.0, nonlinear);
  text_model_close(&m);
}

/* ---- the quadrotor: twelve states, binds to decimals ---- */

static void quadrotor(const double *x, double *dx) {
  const double g = 9.81, m = 1.4, jx = 0.054, jy = 0.054, jz = 0.104, u1 = 1.0, u2 = 0.0, u3 = 0.0;
  const double phi = x[7], theta = x[8], psi = x[9], u = x[4], v = x[5], w = x[6], p = x[10], q = x[11],
               r = x[12];
  dx[0] = 1.0; /* t */
  dx[1] = cos(theta) * cos(psi) * u + (sin(phi) * sin(theta) * cos(psi) - cos(phi) * sin(psi)) * v +
          (cos(phi) * sin(theta) * cos(psi) + sin(phi) * sin(psi)) * w;
  dx[2] = cos(theta) * sin(psi) * u + (sin(phi) * sin(theta) * sin(psi) + cos(phi) * cos(psi)) * v +
          (cos(phi) * sin(theta) * sin(psi) - sin(phi) * cos(psi)) * w;
  dx[3] = sin(theta) * u - sin(phi) * cos(theta) * v - cos(phi) * cos(theta) * w;
  dx[4] = r * v - q * w - g * sin(theta);
  /* in the file the product stands inside the cosine */
  dx[5] = p * w - r * u + g * cos(theta * sin(phi));
  dx[6] = q * u - p * v + g * cos(theta * cos(phi)) - (m * g - 10.0 * (x[3] - u1) + 3.0 * w) / m;
  dx[7] = p + sin(phi) * tan(theta) * q + cos(phi) * tan(theta) * r;
  dx[8] = cos(phi) * q - sin(phi) * r;
  dx[9] = sin(phi) / cos(theta) * q + cos(phi) / cos(theta) * r;
  dx[10] = (jy - jz) / jx * q * r + (-(phi - u2) - p) / jx;
  dx[11] = (jz - jx) / jy * p * r + (-(theta - u3) - q) / jy;
  dx[12] = (jx - jy) / jz * p * q;
}
static void quad(void) {
  text_model m;
  if (meaning_open(&m, "12_quad.xml", "12_quad.cfg"))
    meaning_check_flow(m.automaton, "quad_1=always",
                       NAMES("t", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12"),
                       13, -1.2, 1.2, quadrotor);
  text_model_close(&m);
}

/* ---- six tanks in a ring, renamed through four levels of networks ---- */

static void tanks(const double *x, double *dx) {
  const double k = 0.015, g2 = 2.0 * 9.81;
  dx[0] = 0.1 + 4.0 - x[5] - k * sqrt(g2 * x[0]);
  for (int i = 1; i < 6; i++)
    dx[i] = k * sqrt(g2 * x[i - 1]) - k * sqrt(g2 * x[i]);
}
static void six_tanks(void) {
  text_model m;
  if (meaning_open(&m, "38_tank6.xml", "38_tank6.cfg"))
    meaning_check_flow(m.automaton,
                       "first_1=on;mid5_1.mid4_1.mid2_1.mid_1=on;mid5_1.mid4_1.mid2_1.mid_2=on;"
                       "mid5_1.mid4_1.mid2_2.mid_1=on;mid5_1.mid4_1.mid2_2.mid_2=on;mid5_1.mid_1=on",
                       NAMES("x1", "x2", "x3", "x4", "x5", "x6"), 6, 0.1, 12.0, tanks);
  text_model_close(&m);
}

/* ---- a bind to an expression; a variable that nothing drives ---- */

static void chaser(const double *x, double *dx) {
  const double r = 42164000.0, mu = 3.986e14 * 3600.0, n = sqrt(mu / (r * r * r));
  const double d = sqrt((r + x[0]) * (r + x[0]) - x[1] * x[1]), c = mu / (d * d * d);
  dx[0] = x[2];
  dx[1] = x[3];
  dx[2] = n * n * x[0] + 2.0 * n * x[3] + mu / (r * r) - c * (r + x[0]);
  dx[3] = n * n * x[1] - 2.0 * n * x[2] - c * x[1];
}
static void rendezvous(void) {
  text_model m;
  if (meaning_open(&m, "04_rendezvous_nonlin_4d.xml", NULL))
    meaning_check_flow(m.automaton, "SpaceCraft=Passive", NAMES("x", "y", "vx", "vy", "t"), 5, -1000.0,
                       1000.0, chaser);
  text_model_close(&m);
}

/* ---- twenty constants that `initially' fixes; four locations ---- */

enum { PLL_I, PLL_P1, PLL_P, PLL_V, PLL_REF };
static void pll(const double *x, double *dx, double ii, double ip) {
  const double ci = 25e-12, cp1 = 6.3e-12, cp3 = 2e-12, rp2 = 50e3, rp3 = 8e3, n = 1000.0;
  dx[PLL_I] = ii / ci;
  dx[PLL_P1] = -(x[PLL_P1] / cp1) * (1.0 / rp2 + 1.0 / rp3) + x[PLL_P] / (cp1 * rp3) + ip / cp1;
  dx[PLL_P] = x[PLL_P1] / (cp3 * rp3) - x[PLL_P] / (cp3 * rp3);
  dx[PLL_V] = x[PLL_I] * 200.0 / n + x[PLL_P] * 25.0 / n + 2.0 * 3.14 * 26.93e9 / n;
  dx[PLL_REF] = 2.0 * 3.14 * 27e6;
}
static void pll_up(const double *x, double *dx) {
  pll(x, dx, 10.1e-6, 505e-6);
}
static void pll_none(const double *x, double *dx) {
  pll(x, dx, 0.0, 0.0);
}
static void pll_down(const double *x, double *dx) {
  pll(x, dx, -10.1e-6, -505e-6);
}
static void phase_locked_loop(void) {
  const char *const *names = NAMES("v_i", "v_p1", "v_p", "phi_v", "phi_ref");
  text_model m;
  if (meaning_open(&m, "28_pll_orig.xml", "28_pll_orig.cfg")) {
    meaning_check_flow(m.automaton, "pll_1=up_1", names, 5, -1.0, 6.0, pll_up);
    meaning_check_flow(m.automaton, "pll_1=both_0", names, 5, -1.0, 6.0, pll_none);
    meaning_check_flow(m.automaton, "pll_1=dn_1", names, 5, -1.0, 6.0, pll_down);
    meaning_check_flow(m.automaton, "pll_1=both_1", names, 5, -1.0, 6.0, pll_none); /* the currents cancel */
  }
  text_model_close(&m);
}

/* ---- variables without a flow are free, whatever `initially' says of them ---- */

static void nav_first(const double *x, double *dx) { /* time, x1..x4, xc1, xc2 */
  dx[0] = 1.0;
  dx[1] = x[5];
  dx[2] = 1.2;
  dx[3] = x[6];
  dx[4] = 1.1;
}
static void nav_second(const double *x, double *dx) {
  nav_first(x, dx);
  dx[3] = 0.2;
  dx[4] = 1.2;
}
static void navigation(void) {
  const char *const *names = NAMES("time", "x1", "x2", "x3", "x4", "xc1", "xc2");
  text_model m;
  if (meaning_open(&m, "05_NAV_3_4.xml", "05_NAV_3_4.cfg")) {
    meaning_check_flow(m.automaton, "L0000", names, 7, -2.0, 2.0, nav_first);
    meaning_check_flow(m.automaton, "L0001", names, 7, -2.0, 2.0, nav_second);
  }
  text_model_close(&m);
}

/* ---- an output of one filter, defined by its location's invariant, is the input of the other ---- */

static void filters(const double *x, double *dx, double output) { /* x1..x4, u1, y1 */
  dx[2] = -12.65885 * x[2] - 2.92283193;
  dx[3] = -47.25145 * x[3] + output + 8.0628348;
  dx[5] = output;
}
static void filters_first(const double *x, double *dx) {
  dx[0] = -10.21587 * x[0] + 20.13684457;
  dx[1] = -200.2418 * x[1] + x[4] - 400.4898478;
  filters(x, dx, x[0]);
}
static void filters_second(const double *x, double *dx) {
  dx[0] = -14.58328 * x[0] + 33.95001456;
  dx[1] = -205.3664 * x[1] + x[4] - 632.6889324;
  filters(x, dx, x[1]);
}
static void filters_jump(const double *x, double *after) {
  after[0] = x[0] + 1.071580;
  after[1] = x[1] - 1.301798;
  after[2] = x[2];
  after[3] = x[3];
}
static void parallel_filters(void) {
  const char *const *names = NAMES("x1", "x2", "x3", "x4", "u1", "y1");
  text_model m;
  if (meaning_open(&m, "22_lowpass_parallel_unittest.xml", NULL)) {
    const hys_hybrid *h = m.automaton;
    const hys_hybrid_location *first = meaning_location(h, "filter1=loc1_11;filter2=loc2_11");
    meaning_check_flow(h, "filter1=loc1_11;filter2=loc2_11", names, 6, -3.0, 3.0, filters_first);
    meaning_check_flow(h, "filter1=loc1_21;filter2=loc2_11", names, 6, -3.0, 3.0, filters_second);
    if (first != NULL) {
      const hys_hybrid_jump *jump = meaning_jump(h, first, "filter1=loc1_21;filter2=loc2_11", 0);
      meaning_check_jump(h, jump, names, 4, -3.0, 3.0, filters_jump);
      check_label("guard");
      if (jump != NULL) {
        CHECK(meaning_holds(h, &jump->guard, names, 4, (const double[]){-1.1, 2.6, 0, 0}));
        CHECK(!meaning_holds(h, &jump->guard, names, 4, (const double[]){-1.08, 2.6, 0, 0}));
        CHECK(!meaning_holds(h, &jump->guard, names, 4, (const double[]){-1.1, 2.7, 0, 0}));
      }
    }
  }
  text_model_close(&m);
}

/* ---- functions in resets, which read an input ---- */

static void oneloc(const double *x, double *dx) {
  dx[0] = -2.0 * sin(x[0]) + x[2];
  dx[1] = log(x[0]) - x[1];
}
static void oneloc_first(const double *x, double *after) {
  after[0] = -x[0];
  after[1] = sin(x[1]) + x[2]; /* u1 has no flow: it may change at any time, also here */
}
static void oneloc_second(const double *x, double *after) {
  after[0] = x[1] - 1.0;
  after[1] = -x[0];
}
static void resets(void) {
  const char *const *names = NAMES("x1", "x2", "u1");
  text_model m;
  if (meaning_open(&m, "03_test_hybrid_flat_oneloc4.xml", NULL)) {
    const hys_hybrid *h = m.automaton;
    const hys_hybrid_location *l = meaning_location(h, "cont_1=always");
    meaning_check_flow(h, "cont_1=always", names, 3, 0.1, 3.0, oneloc);
    if (l != NULL) {
      meaning_check_jump(h, meaning_jump(h, l, "cont_1=always", 0), names, 3, -3.0, 3.0, oneloc_first);
      meaning_check_jump(h, meaning_jump(h, l, "cont_1=always", 1), names, 3, -3.0, 3.0, oneloc_second);
    }
  }
  text_model_close(&m);
}

/* ---- decimals without a leading digit, products of constants, a constant from `initially' in an invariant
 * ---- */

static void yaw(const double *x, double *dx) { /* x1..x4, w, t */
  const double k = 2.34, a = 0.2;
  dx[0] = -.0558 * x[0] - .9968 * x[1] + .0802 * x[2] + .0415 * x[3] + 0.00729 * k * (x[1] - a * x[4]);
  dx[1] = .598 * x[0] - .115 * x[1] - .0318 * x[2] - 0.475 * k * (x[1] - a * x[4]);
  dx[2] = -3.05 * x[0] + .388 * x[1] - .465 * x[2] + 0.153 * k * (x[1] - a * x[4]);
  dx[3] = 0.0805 * x[1] + x[2];
  dx[4] = x[1] - a * x[4];
  dx[5] = 1.0;
}
static void yaw_damper(void) {
  const char *const *names = NAMES("x1", "x2", "x3", "x4", "w", "t");
  text_model m;
  if (meaning_open(&m, "34_yaw_damper.xml", "34_yaw_damper.cfg")) {
    const hys_hybrid_location *l = meaning_location(m.automaton, "init_1=flying;timer_1=ticking");
    meaning_check_flow(m.automaton, "init_1=flying;timer_1=ticking", names, 6, -3.0, 3.0, yaw);
    check_label("invariant");
    if (l != NULL) {
      CHECK(meaning_holds(m.automaton, &l->invariant, names, 6, (const double[]){0, 0, 0, 0, 0, 40.0}));
      CHECK(!meaning_holds(m.automaton, &l->invariant, names, 6, (const double[]){0, 0, 0, 0, 0, 40.001}));
    }
  }
  text_model_close(&m);
}

CHECK_MAIN("meaning of flows", {"van der Pol", van_der_pol}, {"Hamiltonian system", hamiltonian_system},
           {"functions", functions}, {"quadrotor", quad}, {"six tanks", six_tanks},
           {"rendezvous", rendezvous}, {"phase-locked loop", phase_locked_loop}, {"navigation", navigation},
           {"parallel filters", parallel_filters}, {"functions in resets", resets},
           {"yaw damper", yaw_damper})
