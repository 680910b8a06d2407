--[[ Puts an account back that Redis has lost, as it was after its newest receipt; an existing one stays.
  account hash, made here: nothing is held, so all of its balance is available
  createdAt RFC 3339   receipts: number of its newest receipt   head: that receipt's hash ]]
if redis.call('EXISTS', account) == 1 then return {'exists'} end
redis.call('HSET', account, 'name', name, 'createdAt', createdAt, 'available', available, 'held', '0',
  'credited', credited, 'spent', spent, 'receipts', string.format('%.0f', receipts), 'head', head)
return {'restored'}
