--[[ Restores an account that Redis has lost, in the state after its latest receipt, with its budgets. An existing account
     is not changed, and neither is the state of an organisation's budget that another account has restored. Requires
     budgets.lua.
  account hash, written here: nothing is held, so the complete balance is available
  version, disabled: see set-account.lua   createdAt: RFC 3339   receipts: number of its latest receipt   head: hash of that receipt
  budgets hash, budgetList, list, states: see write-budgets.lua   budgetsVersion: 0 if there was never a budget
  charged hash: see charge.lua   counted: hashes of lost receipts that `states` includes, each with a line break ]]
if redis.call('EXISTS', account) == 1 then return {'exists'} end
redis.call('HSET', account, 'name', name, 'createdAt', createdAt, 'available', available, 'held', '0',
  'credited', credited, 'spent', spent, 'receipts', string.format('%.0f', receipts), 'head', head)
if version > 0 then redis.call('HSET', account, 'version', string.format('%.0f', version)) end
if disabled then redis.call('HSET', account, 'disabled', '1') end
if budgetsVersion > 0 then
  redis.call('HSET', account, 'budgets', string.format('%.0f', budgetsVersion))
  redis.call('SET', budgetList, list)
  for id, owner, state in string.gmatch(states, '([^\n]+)\n([^\n]*)\n([^\n]+)\n') do
    redis.call(owner == '' and 'HSET' or 'HSETNX', hash_of(budgets, owner), id, state)
  end
  for hash in string.gmatch(counted, '[^\n]+') do redis.call('HSET', charged, 'counted:' .. hash, '1') end
  if counted ~= '' then redis.call('PEXPIRE', charged, rememberMs) end
end
return {'restored'}
