--[[ Takes what is due of a shard for one process: it is due again when the lease is over, unless it was put off or is over.
  KEYS[1] due tasks or callbacks of the shard (zset: member -> when, ms)
  ARGV[1] now (ms)   [2] end of the lease (ms)   [3] most
  Returns the members ]]
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, member in ipairs(due) do redis.call('ZADD', KEYS[1], 'XX', ARGV[2], member) end
return due
