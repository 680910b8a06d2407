--[[ Adds one usage event to the totals of its account and day, and to the day's log. Once by event id.
  KEYS[1] ids seen (set)   [2] totals (hash)   [3] log (stream)
  KEYS[4] entries by request id (zset, read by name)
  ARGV[1] event id   [2] event (JSON)   [3] seconds to keep   [4] most log entries   [5] prefix of the fields
  ARGV[6] request id with its break   ARGV[7..] pairs: measure, whole amount
  Returns {"recorded"} | {"recorded-before"} ]]
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return {'recorded-before'} end
for at = 7, #ARGV, 2 do redis.call('HINCRBY', KEYS[2], ARGV[5] .. ARGV[at], ARGV[at + 1]) end
local entry = redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[4], '*', 'event', ARGV[2])
redis.call('ZADD', KEYS[4], 0, ARGV[6] .. entry)
-- Remembered last: what could fail has gone through.
redis.call('SADD', KEYS[1], ARGV[1])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[3]) end
return {'recorded'}
