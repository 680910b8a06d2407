--[[ Releases a seat.   seats zset: seatId -> expiry (ms) ]]
redis.call('ZREM', seats, seatId)
return {'left'}
