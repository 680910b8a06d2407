--[[ Keeps a callback for another try, or forgets it. One that is forgotten already stays so.
  KEYS[1] due callbacks of the shard (zset: event id -> when, ms)   [2] callbacks of the shard (hash: event id -> JSON)
  ARGV[1] event id   [2] callback (JSON), "": forget it   [3] due (ms)
  Returns {} ]]
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 0 or ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
end
return {}
