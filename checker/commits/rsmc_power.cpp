// rsmc on the machines of POWER, of all widths; rsmc.cpp says what it does.
#include "checker/commits/rsmc_search.hpp"

namespace heddle::checker {

template void run_rsmc_on<PowerMachine<1>>(Search& search, const GraphObserver& observer);

}  // namespace heddle::checker
