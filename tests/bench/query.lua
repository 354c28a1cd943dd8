-- wrk: one page of 25, sorted by title, of the records whose field (argument 1) has the value
-- (argument 2).
local body
function init(arguments)
  body = string.format('{"%s":"%s"}', arguments[1], arguments[2])
end
function request()
  return wrk.format("POST", nil, nil, body)
end
