/// How often a test of chance repeats itself, or with how much: `usual`; a quarter of it under a
/// sanitizer, which finds its faults in the first rounds and makes each of them slow; ten times as
/// much with STELE_LONG=1.
export function repetitions(usual) {
  if (process.env.STELE_LONG) return usual * 10;
  return process.env.STELE_SANITIZED ? Math.ceil(usual / 4) : usual;
}
