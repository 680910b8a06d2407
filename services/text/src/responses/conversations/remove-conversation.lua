-- Removes a conversation. Requires count-conversation.lua. Keys as in add-items.lua.
local removed = redis.call('UNLINK', head, list, ids)
countConversation(head, list, contentSizes, contentExpiries)
return {removed > 0 and 'removed' or 'absent'}
