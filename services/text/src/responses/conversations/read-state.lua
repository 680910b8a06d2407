-- Returns the number of items of a conversation, and its state. Requires state-of.lua. Keys as in add-items.lua.
return {'state', count = redis.call('LLEN', list), state = stateOf(head, list)}
