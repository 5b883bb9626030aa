# SPDX-License-Identifier: Apache-2.0
"""All scenarios, by name."""

from .analysts import Blastradius, Correlate, Fleetpage, Fleetview, Ibevent
from .analysts import Nicdiff, Nicsilence, Nicwhy, Pcitopo
from .delivery import EmitAgain, EmitConnector, EmitMemory, EmitSpool, EmitTls, EmitWebhook
from .filters import Ctreval, CtrevalRules, Ibscan, Lnetread, Logmatch, Nicview
from .filters import Topoclass, Topoparse
from .finders import BlastradiusAgain, BlastradiusState, CorrelateAgain, CorrelateState
from .fleet import EmitNats, EmitPostgres
from .fleet import Fleetread, FleetreadDatabase, Fleetsetup, FleetsetupDatabase
from .people import Niccheck, Nichist, NichistReplay
from .service import Service
from .tracer import Rdmatrace
from .writers import CtrevalAgain, CtrevalState, LogmatchAgain, LogmatchState

_ALL = (
    *(Topoparse(), Lnetread(), Ibscan(), Topoclass(), Nicview()),
    *(Ctreval(), CtrevalRules(), Logmatch()),
    *(Correlate(), Blastradius(), Fleetview(), Fleetpage(), Ibevent(), Pcitopo()),
    *(Nicdiff(), Nicwhy(), Nicsilence()),
    *(CtrevalState(), CtrevalAgain(), LogmatchState(), LogmatchAgain()),
    *(CorrelateState(), CorrelateAgain(), BlastradiusState(), BlastradiusAgain()),
    *(EmitSpool(), EmitAgain(), EmitMemory(), EmitWebhook(), EmitTls(), EmitConnector()),
    *(EmitNats(), EmitPostgres(), Fleetsetup(), FleetsetupDatabase(), Fleetread()),
    *(FleetreadDatabase(), Rdmatrace(), Nichist(), NichistReplay(), Niccheck(), Service()),
)
SCENARIOS = {scenario.name: scenario for scenario in _ALL}
