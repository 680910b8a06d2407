--[[ Writes the budgets of an account from the books to Redis, unless Redis already has this version or a later one.
  account hash: budgets (version of the list)   budgets hash: see budgets.lua   budgetList string: the budgets (JSON)
  states: two lines for each budget: its id, and its state if Redis has none; '' if Redis has one ]]
local found = redis.call('HMGET', account, 'available', 'budgets')
if not found[1] then return {'no-account'} end
if tonumber(found[2] or '0') >= version then return {'newer'} end
local kept = {}
for id, state in string.gmatch(states, '([^\n]+)\n([^\n]*)\n') do
  kept[id] = true
  if state ~= '' then redis.call('HSETNX', budgets, id, state) end
end
for _, budget in ipairs(cjson.decode(redis.call('GET', budgetList) or '[]')) do
  if not kept[budget.id] then redis.call('HDEL', budgets, budget.id) end
end
redis.call('SET', budgetList, list)
redis.call('HSET', account, 'budgets', string.format('%.0f', version))
return {'projected'}
