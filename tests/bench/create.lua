-- wrk: creates UI configs of about 600 bytes, each with a title of its own.
local number = 0
function request()
  number = number + 1
  local body = string.format(
    '{"title":"Title %08d","key":"key-%d","projectId":"project%d","config":{"text":"%s","n":%d}}',
    (number * 7919) % 100000000, number, number % 10, string.rep("x", 40), number)
  return wrk.format("POST", nil, nil, body)
end
