--[[ Claims what is due of a shard for one process: it is due again when the lease ends, unless it was put off or is over.
  due zset: member -> when (ms) ]]
local members = redis.call('ZRANGEBYSCORE', due, '-inf', nowMs, 'LIMIT', 0, most)
for _, member in ipairs(members) do redis.call('ZADD', due, 'XX', leaseUntil, member) end
return {'claimed', members = members}
