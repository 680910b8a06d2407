--[[ Puts an account back that Redis has lost, as it was after its newest receipt; one that is there stays.
  KEYS[1] account
  ARGV[1] name   [2] time of its making (RFC 3339)   [3] available, which is its balance: nothing is held   [4] credited
  [5] spent (nanos)   [6] number of its newest receipt   [7] the receipt's hash
  Returns {"restored"} | {"exists"} ]]
if redis.call('EXISTS', KEYS[1]) == 1 then return {'exists'} end
redis.call('HSET', KEYS[1], 'name', ARGV[1], 'createdAt', ARGV[2], 'available', ARGV[3], 'held', '0',
  'credited', ARGV[4], 'spent', ARGV[5], 'receipts', ARGV[6], 'head', ARGV[7])
return {'restored'}
