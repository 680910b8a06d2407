--[[ The step of every settlement, shared by settle.lua and tasks/advance.lua: takes a call's true cost, gives the rest of
     its hold back, and writes the usage event to the outbox. Once: whoever finds the hold settles it, everybody later
     finds it gone.
  keys {account, hold, holds, outbox, bucket}   call id   cost (nanos)   event (JSON, without its cost)   tokens used
  now (ms), 0: Redis' clock   expired: only if the hold's lease has run out
  Returns {"settled", outbox entry id, nanos that the account could not cover, number, previous, balance and hash of the
  receipt} | {"gone"} | {"leased"} (receipt.lua and budgets.lua come before this) ]]
local function settlement(keys, call, cost, event, used, now, expired)
  local found = redis.call('HMGET', keys.hold, 'nanos', 'tokens', 'limit', 'budgets')
  local held = found[1]
  if not held then
    -- Swept, settled before, or lost with a Redis: the ledger knows from the books.
    if keys.late then redis.call('XADD', keys.late, 'MAXLEN', '~', '100000', '*', 'event', event, 'cost', cost) end
    return {'gone'}
  end
  if now == 0 then local t = redis.call('TIME'); now = t[1] * 1000 + math.floor(t[2] / 1000) end
  if expired and tonumber(redis.call('ZSCORE', keys.holds, call) or 0) > now then return {'leased'} end
  redis.call('DEL', keys.hold)
  redis.call('ZREM', keys.holds, call)

  -- What was held for the call pays for it, also where the account owes something since a Redis was lost.
  local owing = string.sub(redis.call('HGET', keys.account, 'available'), 1, 1) == '-'
  if held ~= '0' then
    redis.call('HINCRBY', keys.account, 'held', '-' .. held)
    redis.call('HINCRBY', keys.account, 'available', held)
  end
  local uncovered, taken = '0', cost
  if cost ~= '0' then
    redis.call('HINCRBY', keys.account, 'spent', cost)
    redis.call('HINCRBY', keys.account, 'available', '-' .. cost)
    local left = redis.call('HGET', keys.account, 'available') -- as text: a Lua number is exact to 2^53 only
    if owing then
      redis.call('HSET', keys.account, 'beyond', cost)
      redis.call('HINCRBY', keys.account, 'beyond', '-' .. held)
      left = '-' .. redis.call('HGET', keys.account, 'beyond')
      redis.call('HDEL', keys.account, 'beyond')
      if left == '-0' or string.sub(left, 1, 2) == '--' then left = '0' end
    end
    if string.sub(left, 1, 1) == '-' then
      uncovered = string.sub(left, 2)
      redis.call('HINCRBY', keys.account, 'available', uncovered)
      redis.call('HINCRBY', keys.account, 'spent', left)
      redis.call('HSET', keys.account, 'taken', cost)
      redis.call('HINCRBY', keys.account, 'taken', left)
      taken = redis.call('HGET', keys.account, 'taken')
      redis.call('HDEL', keys.account, 'taken')
    end
  end

  local capacity, change = tonumber(found[3]), tonumber(found[2]) - used
  if capacity > 0 and change ~= 0 and redis.call('EXISTS', keys.bucket) == 1 then
    local level = tonumber(redis.call('HGET', keys.bucket, 't') or capacity) + change
    redis.call('HSET', keys.bucket, 't', tostring(level))
    redis.call('PEXPIRE', keys.bucket, math.min(86400000, math.ceil(math.max(0, capacity - level) * 60000 / capacity) + 60000))
  end
  -- Of the periods that the hold was made in; one that is long over has been forgotten.
  for _, budget in ipairs(budgets_of(found[4])) do
    if redis.call('HEXISTS', budget.key, budget.field) == 1 then
      if held ~= '0' then redis.call('HINCRBY', budget.key, budget.field, '-' .. held) end
      if taken ~= '0' then redis.call('HINCRBY', budget.key, budget.field, taken) end
    end
  end
  local number, previous, balance, hash = receipt(keys.account, taken == '0' and '0' or '-' .. taken, event)
  local entry = redis.call('XADD', keys.outbox, '*', 'event', event, 'cost', cost, 'uncovered', uncovered,
    'number', number, 'previous', previous, 'balance', balance, 'hash', hash)
  return {'settled', entry, uncovered, number, previous, balance, hash}
end
