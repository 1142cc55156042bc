// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

@Suite struct AgentDependenciesTests {
    @Test func thePanelSignalsTheAgentsFaultElseASilentSensor() {
        var state = SharedState.State()
        #expect(state.panelFault == nil && state.faults.isEmpty)
        state.sensorFaults = [Explanation(place: "i2c-1 0x18", cause: "LIS3DH does not answer")]
        #expect(state.panelFault == "A sensor gives no data. Please call the study team")
        #expect(state.faults.map(\.description) == ["i2c-1 0x18: LIS3DH does not answer"])
        state.fault = "the disk is full"
        #expect(state.panelFault == "the disk is full" && state.faults.count == 2)
    }
}
