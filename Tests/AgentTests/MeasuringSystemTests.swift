// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Patience
import Simulation
import Synchronization
import SystemKit
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(10))) struct MeasuringSystemTests {
    private static let board = """
        name = "rig"
        button = [{ name = "select", device = "simulated", code = 28 }]
        light = [{ name = "status", device = "simulated" }]
        world = { script = "still 60s" }
        """

    @Test func aPressIsForThePanelAndForItsFile() async throws {
        try await AgentFixture.inFolder { folder in
            let clock = SystemClock()
            let keys = try SimulatedKeys(path: folder + "/keys")
            let panel = try SimulatedPanelFolder(isColoured: false)
            var parts = SimulatedParts()
            parts.keys = keys.path
            parts.lights["status"] = panel.light
            let board = try BoardDescription(parsing: Self.board, file: "rig.toml")
            let devices = try BoardDevices(board, parts: parts, clock: clock)
            defer { devices.close() }
            let heard = Mutex<[Bool]>([])
            let system = try MeasuringSystem(
                MeasuringSystem.Setting(
                    devices: devices,
                    measures: try AgentConfiguration(
                        parsing: "board = 'b'\n[[measure]]\nchannel = 'buttons'\n", file: "studyd.toml"
                    ).measures,
                    origin: RecordingOrigin(study: "s", participant: nil, deviceID: 1, bootID: "b", zone: .utc),
                    folder: try RecordingFolder(folder + "/recordings"), clock: clock, needsMicrophone: false),
                onEdge: { edge in heard.withLock { $0.append(edge.isPressed) } }, remark: { _ in }, onNews: { _ in })
            defer { _ = system.stop() }
            keys.press(key: 28, at: clock.monotonic)
            try await eventually("the panel hears it") {
                keys.serve(at: clock.monotonic)
                return heard.withLock { $0.count } == 2
            }
            #expect(heard.withLock { $0 } == [true, false])
            try await eventually("its file has it") { system.states.first?.counts.due == 2 }
            #expect(system.states.map(\.kind) == [.buttons] && system.states.map(\.counts.totalLost) == [0])
        }
    }
}
