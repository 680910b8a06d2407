--[[ Releases a seat.   seats zset: permit -> expiry (ms) ]]
redis.call('ZREM', seats, permit)
return {'left'}
