--[[ Writes the budgets of an account from the books to Redis, unless Redis already has this version or a later one.
     Requires budgets.lua.
  account hash: budgets (version of the list)   budgets hash: see budgets.lua   budgetList string: the budgets (JSON)
  states: three lines for each budget: its id, its owner (see `hash_of`), and its state if Redis has none, otherwise ''
  The state of a removed budget is deleted, except that of an organisation, which other accounts may still use. ]]
local found = redis.call('HMGET', account, 'available', 'budgets')
if not found[1] then return {'no-account'} end
if tonumber(found[2] or '0') >= version then return {'newer'} end
local kept = {}
for id, owner, state in string.gmatch(states, '([^\n]+)\n([^\n]*)\n([^\n]*)\n') do
  kept[id] = true
  if state ~= '' then redis.call('HSETNX', hash_of(budgets, owner), id, state) end
end
for _, budget in ipairs(cjson.decode(redis.call('GET', budgetList) or '[]')) do
  if not kept[budget.id] then redis.call('HDEL', budgets, budget.id) end
end
redis.call('SET', budgetList, list)
redis.call('HSET', account, 'budgets', string.format('%.0f', version))
return {'written'}
