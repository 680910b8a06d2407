#!/usr/bin/env bash
# Builds the images, starts all services with docker-compose.yml, makes a call, checks the bill, and stops everything.
# Exit status: 0 success, 1 failure, 3 no Docker engine or no compose on this machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

if docker compose version >/dev/null 2>&1; then compose() { docker compose "$@"; }
elif command -v docker-compose >/dev/null; then compose() { docker-compose "$@"; }
else echo "No docker compose on this machine: install it to try the images." >&2; exit 3; fi
docker info >/dev/null 2>&1 || { echo "No Docker engine answers on this machine: start one to try the images." >&2; exit 3; }

export COMPOSE_PROJECT_NAME="modelgate-try-$$" PORT="${PORT:-18080}"
MODELGATE_SECRET="$(head -c 24 /dev/urandom | base64 | tr -d '/+=')"
export MODELGATE_SECRET
# An image that was built on this machine has a tag and no digest: then the tag is used.
made_here() { [ "$(docker image inspect --format '{{len .RepoDigests}}' "$1" 2>/dev/null)" = 0 ]; }
if made_here node:24-slim; then export NODE_IMAGE=node:24-slim; fi
# An image that was built on this machine may have no user `redis`. Its data folder belongs to root.
if made_here redis:7-alpine; then export REDIS_IMAGE=redis:7-alpine REDIS_USER=0:0; fi
if made_here nats:2-alpine; then export NATS_IMAGE=nats:2-alpine; fi
key=sk-demo-0123456789abcdef
url="http://127.0.0.1:$PORT/v1"
spoken="$(mktemp)"

end() { status=$?; rm -f "$spoken"; [ "$status" = 0 ] || compose logs --tail=20 || true; compose down --volumes --timeout 15 >/dev/null 2>&1 || true; exit "$status"; }
trap end EXIT

ask() { curl --silent --fail-with-body --max-time 20 "$url/$1" -H "Authorization: Bearer $key" "${@:2}"; }
call() { ask chat/completions -H 'Content-Type: application/json' -d "$1"; }
# Prints the balance of the account. It is the first in gatectl's output; the credits' balances follow.
balance() {
  compose exec -T control node programs/gatectl.js account show demo --json |
    grep -o '"balanceNanos":"[0-9]*"' | head -n 1 | tr -dc 0-9
}
# Fails if the balance does not soon decrease from $before by exactly this number of nano-dollars.
charged() {
  for _ in $(seq 1 20); do after=$(balance); [ $((before - after)) = "$1" ] && break; sleep 0.5; done
  [ $((before - after)) = "$1" ] || { echo "the balance went from $before to $after, not down by $1 nano-dollars"; exit 1; }
}

compose build --quiet 2>/dev/null || compose build
compose up --detach
echo "waiting for an answer"
for _ in $(seq 1 60); do answer=$(call '{"model":"demo-fixed","messages":[{"role":"user","content":"Hello"}]}' 2>/dev/null) && break; sleep 1; done
grep -q 'You said: Hello' <<<"${answer:-}" || { echo "no answer: ${answer:-}"; exit 1; }
echo "answer: ok"

before=$(balance)
call '{"model":"demo-fixed","stream":true,"messages":[{"role":"user","content":"Hello"}]}' | grep -q '\[DONE\]'
echo "stream: ok"
charged 1000000
echo "bill: exact ($before - $after = 1000000 nano-dollars)"

before=$after
ask audio/speech -H 'Content-Type: application/json' \
  -d '{"model":"demo-speech","voice":"alloy","input":"Good morning.","response_format":"wav"}' >"$spoken"
ask audio/transcriptions -F model=demo-transcription -F "file=@$spoken;filename=a.wav" | grep -q 'we'
# 13 characters, and 0.78 s: the file's length, although the vendor reports a full second.
charged $((13 * 15000 + 78000))
echo "speech and its transcript: ok"

edge=$(compose ps -q edge)
[ "$(docker exec "$edge" id -u)" != 0 ] || echo "note: this base image has no user but root"
docker stop --time 40 "$edge" >/dev/null
[ "$(docker inspect --format '{{.State.ExitCode}}' "$edge")" = 0 ] || { echo "the edge did not end with 0"; exit 1; }
echo "drain: exit status 0"
docker image ls --format '{{.Repository}} {{.Size}}' | grep '^modelgate/' | sort -u
