--[[ Adds one usage event to the totals of its account and day, and to the log of the day, once for each event id.
  KEYS[1] recorded event ids (set)   [2] totals (hash)   [3] log (stream)
  KEYS[4] log entries by request id (zset, read in the order of names)
  ARGV[1] event id   [2] event (JSON)   [3] time to live (s)   [4] maximum log entries   [5] prefix of the fields
  ARGV[6] request id and separator   ARGV[7..] pairs: measure, integer amount
  Returns {"recorded"} | {"recorded-before"} ]]
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 1 then return {'recorded-before'} end
for at = 7, #ARGV, 2 do redis.call('HINCRBY', KEYS[2], ARGV[5] .. ARGV[at], ARGV[at + 1]) end
local entry = redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[4], '*', 'event', ARGV[2])
redis.call('ZADD', KEYS[4], 0, ARGV[6] .. entry)
-- The id is recorded last, after every command that could fail.
redis.call('SADD', KEYS[1], ARGV[1])
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ARGV[3]) end
return {'recorded'}
