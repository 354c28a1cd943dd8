/// How often a test of chance repeats itself, or with how much: `usual`; a quarter of it under a
/// sanitizer, which finds its faults in the first rounds and makes each of them slow; ten times as
/// much with STELE_LONG=1.
export function repetitions(usual) {
  if (process.env.STELE_LONG) return usual * 10;
  return process.env.STELE_SANITIZED ? Math.ceil(usual / 4) : usual;
}

/// All of `routes`; every fourth of them under a sanitizer, beginning with another one for each seed:
/// the same code stands behind an operation of every family, and usual builds walk each route.
export function walked(routes, seed) {
  if (!process.env.STELE_SANITIZED || process.env.STELE_LONG) return routes;
  return routes.filter((_, index) => (index + seed) % 4 === 0);
}
