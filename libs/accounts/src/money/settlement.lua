--[[ The step of every settlement, shared by settle.lua and tasks/advance.lua: takes a call's true cost, gives the rest of
     its hold back, and writes the usage event to the outbox. Exactly once: the hold is deleted, so a second settlement
     finds it gone (clock.lua, receipt.lua and budgets.lua come before this).
  keys {account, hold, holds, outbox, bucket, late: where a call without its hold is reported, nil: nowhere}
  call {id, cost (nanos), event (JSON without its cost), tokens (used), nowMs, onlyIfExpired, onlyOn: runs of servers}
  Returns {'settled', outbox entry, what the account could not cover, and the receipt} | {'gone'} | {'leased'} | {'unsure'} ]]
local function settlement(keys, call)
  local cost, event = call.cost, call.event
  local found = redis.call('HMGET', keys.hold, 'nanos', 'tokens', 'limit', 'budgets')
  local held = found[1]
  if not held then
    -- Swept, settled before, or lost with a Redis: the ledger knows from the books.
    if keys.late then redis.call('XADD', keys.late, 'MAXLEN', '~', '100000', '*', 'event', event, 'cost', cost) end
    return {'gone'}
  end
  local now = clock(call.nowMs)
  if call.onlyIfExpired and tonumber(redis.call('ZSCORE', keys.holds, call.id) or 0) > now then return {'leased'} end
  -- Another run of the server, or another server, may have lost the settlement of a call whose hold it has.
  if call.onlyOn and not string.find(call.onlyOn, string.match(redis.call('INFO', 'server'), 'run_id:(%w+)'), 1, true) then
    return {'unsure'}
  end
  redis.call('DEL', keys.hold)
  redis.call('ZREM', keys.holds, call.id)

  -- What was held for the call pays for it, also where the account owes something since a Redis was lost.
  local owing = string.sub(redis.call('HGET', keys.account, 'available') or '0', 1, 1) == '-'
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

  local capacity, change = tonumber(found[3]), tonumber(found[2]) - call.tokens
  if capacity > 0 and change ~= 0 and redis.call('EXISTS', keys.bucket) == 1 then
    local level = tonumber(redis.call('HGET', keys.bucket, 't') or capacity) + change
    redis.call('HSET', keys.bucket, 't', tostring(level))
    redis.call('PEXPIRE', keys.bucket, math.min(86400000, math.ceil(math.max(0, capacity - level) * 60000 / capacity) + 60000))
  end
  -- Of the periods in which the hold was made; the totals of a past period have expired.
  for _, budget in ipairs(budgets_of(found[4])) do
    if redis.call('HEXISTS', budget.key, budget.field) == 1 then
      if held ~= '0' then redis.call('HINCRBY', budget.key, budget.field, '-' .. held) end
      if taken ~= '0' then redis.call('HINCRBY', budget.key, budget.field, taken) end
    end
  end
  local number, previous, balance, hash = add_receipt(keys.account, taken == '0' and '0' or '-' .. taken, event)
  local entry = redis.call('XADD', keys.outbox, '*', 'event', event, 'cost', cost, 'uncovered', uncovered,
    'number', number, 'previous', previous, 'balance', balance, 'hash', hash)
  return {'settled', entry = entry, uncovered = uncovered,
    number = number, previous = previous, balance = balance, hash = hash}
end
