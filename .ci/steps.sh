# Sourced by .ci/run and .ci/nightly: runs steps, functions named step_<name>, and prints what each took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Of Go, for tsc and esbuild: the default takes a fifth more processor time for their collections.
export GOGC=400

times=()
# The step that runs.
current=
# Files that the end of the script removes.
temporary=()

# A failed step leaves no job behind. Each job leads a process group, so that what it started ends too.
set -m
end() {
  local job
  for job in $(jobs -p); do kill -TERM -- "-$job" 2>/dev/null || true; done
  [ ${#temporary[@]} -eq 0 ] || rm -f "${temporary[@]}"
  if [ -n "$current" ]; then printf '\nfailed: %s\n' "$current"; fi
  if [ ${#times[@]} -gt 0 ]; then
    printf '\npassed:\n'
    printf '  %s\n' "${times[@]}"
  fi
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# run_step <name>: exits with the step's code when it fails.
run_step() {
  local started=$SECONDS
  current=$1
  printf '\n== %s\n' "$1"
  "step_$1"
  current=
  times+=("$1 $((SECONDS - started)) s")
}

# run_steps <default steps> -- <chosen steps>: the chosen ones, or the default ones when none is chosen.
run_steps() {
  local defaults=()
  while [ "$1" != -- ]; do defaults+=("$1"); shift; done
  shift
  for name in "$@"; do
    if ! declare -F "step_$name" >/dev/null; then
      printf 'unknown step %s; steps: %s\n' "$name" "$(declare -F | sed -n 's/^declare -f step_//p' | xargs)" >&2
      exit 2
    fi
  done
  [ $# -gt 0 ] || set -- "${defaults[@]}"
  for name in "$@"; do run_step "$name"; done
}
