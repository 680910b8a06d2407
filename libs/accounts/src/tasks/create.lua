--[[ Records a task that its vendor has accepted: the record, when to poll it, its entry in the account's list, the
     longer lease of its hold, and its first event, in one write.
  task hash: version, record, entries (of its events, while they are in the outbox)
  due zset: member -> when (ms)   list zset: task id -> created (ms)   holds zset: call id -> lease expiry (ms)
  outbox stream   callbacksDue zset: event id -> when (ms)   callbacks hash: event id -> JSON
  listedSince: older tasks leave the list (ms)   callbackId nil: none ]]
if redis.call('EXISTS', task) == 1 then return {'exists'} end
if not redis.call('ZSCORE', holds, callId) then return {'no-hold'} end
redis.call('HSET', task, 'version', '1', 'record', record)
redis.call('ZADD', due, dueAt, member)
redis.call('ZADD', list, createdAt, id)
redis.call('ZREMRANGEBYSCORE', list, '-inf', string.format('(%.0f', listedSince))
redis.call('ZADD', holds, 'XX', holdUntil, callId)
if callbackId then
  redis.call('HSET', callbacks, callbackId, callback)
  redis.call('ZADD', callbacksDue, callbackDueAt, callbackId)
end
local entry = redis.call('XADD', outbox, '*', 'task', event)
redis.call('HSET', task, 'entries', entry)
return {'created', entry = entry}
