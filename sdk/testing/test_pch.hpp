#pragma once

#include <catch2/catch.hpp>

#include "../src/common_pch.hpp"
