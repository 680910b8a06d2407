--[[ Stores a callback for another delivery, or deletes it. A deleted callback is not stored again.
  due zset: event id -> time (ms)   callbacks hash: event id -> JSON   callback: nil deletes it ]]
if callback and redis.call('HEXISTS', callbacks, id) == 1 then
  redis.call('HSET', callbacks, id, callback)
  redis.call('ZADD', due, dueAt, id)
  return {'stored'}
end
redis.call('ZREM', due, id)
redis.call('HDEL', callbacks, id)
return {'deleted'}
