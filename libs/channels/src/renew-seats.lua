--[[ Keeps a call's seats for another lease, by the store's own clock. A seat that lapsed meanwhile is taken again: the
  call is still there.
  KEYS sets of seats (zset: permit -> expiry ms)   ARGV[1] permit   [2] lease (ms)   Returns {} ]]
local t = redis.call('TIME')
local expiry = string.format('%.0f', t[1] * 1000 + t[2] / 1000 + tonumber(ARGV[2]))
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, expiry, ARGV[1])
  redis.call('PEXPIRE', key, tonumber(ARGV[2]) * 2)
end
return {}
