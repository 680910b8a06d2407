--[[ Puts a task back that Redis has lost, or that has ended since Redis last knew of it; any other stays as it is.
  task hash: version, record   due zset: member -> when (ms)   list zset: task id -> created (ms)
  holds zset: call id -> lease expiry (ms), of which a hold that is there gets the task's own, holdUntil
  dueAt nil: the task has ended   keepMs: how long an ended one is kept ]]
local version = redis.call('HGET', task, 'version')
if version and (dueAt or not redis.call('ZSCORE', due, member)) then return {'exists'} end
redis.call('HSET', task, 'version', tostring(tonumber(version or '0') + 1), 'record', record)
redis.call('ZADD', list, createdAt, id)
if dueAt then
  redis.call('ZADD', due, dueAt, member)
  redis.call('ZADD', holds, 'XX', holdUntil, callId)
else
  redis.call('ZREM', due, member)
  redis.call('PEXPIRE', task, keepMs)
end
return {'restored'}
