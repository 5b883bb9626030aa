# SPDX-License-Identifier: Apache-2.0
"""All scenarios, by name."""

from .analysts import Blastradius, Correlate, Fleetpage, Fleetview, Ibevent
from .analysts import Nicdiff, Nicsilence, Nicwhy, Pcitopo
from .delivery import EmitAgain, EmitConnector, EmitMemory, EmitSpool, EmitTls, EmitWebhook
from .filters import Ctreval, Ibscan, Lnetread, Logmatch, Nicview, Topoclass, Topoparse
from .people import Niccheck, Nichist, NichistReplay
from .service import Service
from .writers import CtrevalAgain, CtrevalState, LogmatchAgain, LogmatchState

_ALL = (
    *(Topoparse(), Lnetread(), Ibscan(), Topoclass(), Nicview(), Ctreval(), Logmatch()),
    *(Correlate(), Blastradius(), Fleetview(), Fleetpage(), Ibevent(), Pcitopo()),
    *(Nicdiff(), Nicwhy(), Nicsilence()),
    *(CtrevalState(), CtrevalAgain(), LogmatchState(), LogmatchAgain(), EmitSpool(), EmitAgain()),
    *(EmitMemory(), EmitWebhook(), EmitTls(), EmitConnector()),
    *(Nichist(), NichistReplay(), Niccheck(), Service()),
)
SCENARIOS = {scenario.name: scenario for scenario in _ALL}
