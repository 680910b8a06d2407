--[[ Restores an account that Redis has lost, in the state after its latest receipt. An existing account is not changed.
  account hash, written here: nothing is held, so the complete balance is available
  createdAt: RFC 3339   receipts: number of its latest receipt   head: hash of that receipt ]]
if redis.call('EXISTS', account) == 1 then return {'exists'} end
redis.call('HSET', account, 'name', name, 'createdAt', createdAt, 'available', available, 'held', '0',
  'credited', credited, 'spent', spent, 'receipts', string.format('%.0f', receipts), 'head', head)
return {'restored'}
