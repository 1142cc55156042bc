// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import Simulation
import Testing

/// The simulated devices lie below the code that a real board runs: here the two meet.
@Test func theRealKeyCodeReadsSimulatedPresses() throws {
    let keys = try SimulatedKeys(path: "/tmp/studyd-real-keys-\(UInt64.random(in: 0 ... .max))")
    let reader = try EvdevKeys(path: keys.path)
    #expect(try reader.read().isEmpty)
    keys.press(key: 0x100, at: at(3), for: .milliseconds(700))
    keys.serve(at: at(3))
    #expect(try reader.read() == [KeyEdge(code: 0x100, isPressed: true, time: at(3))])
    keys.serve(at: at(3.7))
    #expect(try reader.read() == [KeyEdge(code: 0x100, isPressed: false, time: at(3.7))])
}

@Test func theRealLightIsSeenOnTheSimulatedPanel() throws {
    for isColoured in [true, false] {
        let panel = try SimulatedPanelFolder(isColoured: isColoured)
        let light = try SysfsLED(directory: panel.light)
        #expect(light.isColoured == isColoured)
        try light.show(LightColour(red: 255, green: 255, blue: 255))
        #expect(panel.read() == SimulatedPanelFolder.State(red: 255, green: 255, blue: 255))
        if isColoured {
            try light.show(LightColour(red: 10, green: 0, blue: 200))
            #expect(panel.read() == SimulatedPanelFolder.State(red: 10, green: 0, blue: 200))
        }
        light.close()
        #expect(!panel.read().isLit)
    }
}

@Test func theRealBuzzerIsHeardOnTheSimulatedPanel() throws {
    let panel = try SimulatedPanelFolder()
    let buzzer = try SysfsPWMBuzzer(directory: panel.buzzer)
    try buzzer.tone(frequency: 2500)
    #expect(panel.read().tone == 2500)
    try buzzer.tone(frequency: nil)
    #expect(panel.read().tone == nil)
}

@Test(.timeLimit(.minutes(10))) func theRealSerialCodeReadsTheSimulatedReceiver() throws {
    let log = NMEALog(Array("$GPRMC,101010,A*00\r\n$GPRMC,101011,A*00\r\n".utf8))
    let gps = SimulatedGPS(log, into: try PseudoTerminal(), start: at(0))
    let port = try SerialPort.open(path: gps.line.path, baud: 9600)
    gps.serve(at: at(0))
    gps.serve(at: at(1))
    let sent = log.epochs.flatMap(\.self)
    var received: [UInt8] = []
    // The kernel hands over what a terminal sends in its own time, in as many parts as it likes.
    while received.count < sent.count {
        var request = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&request, 1, 60_000) == 1)
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = try bytes.withUnsafeMutableBytes { try port.read(into: $0) }
        received += bytes.prefix(count ?? 0)
    }
    #expect(received == sent)
}
