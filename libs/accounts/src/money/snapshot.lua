--[[ An account's money and the amounts of its open holds, seen at one moment.
  KEYS[1] account   [2] holds of the shard
  ARGV[1] account id   [2] beginning of the name of a hold's key   [3] most holds of the shard to look at
  Returns {available, held, credited, spent, receipts, head, "1" if all holds were looked at, nanos of each hold …},
  {} where there is no account ]]
local found = redis.call('HMGET', KEYS[1], 'available', 'held', 'credited', 'spent', 'receipts', 'head')
if not found[1] then return {} end
local few = redis.call('ZCARD', KEYS[2]) <= tonumber(ARGV[3])
local seen = {found[1], found[2], found[3], found[4], found[5] or '0', found[6] or '', few and '1' or '0'}
if few then
  for _, call in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    local hold = redis.call('HMGET', ARGV[2] .. call, 'account', 'nanos')
    if hold[1] == ARGV[1] then seen[#seen + 1] = hold[2] end
  end
end
return seen
