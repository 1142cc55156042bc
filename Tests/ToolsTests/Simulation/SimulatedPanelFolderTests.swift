// SPDX-License-Identifier: Apache-2.0
import Glibc
import Simulation
import Testing

/// Writes as the kernel's users do: without cutting the file.
private func put(_ text: String, _ file: String) {
    let descriptor = open(file, O_WRONLY)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    #expect(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
}

@Test func aColouredLightIsBrightnessTimesIntensity() throws {
    let panel = try SimulatedPanelFolder()
    #expect(panel.read() == SimulatedPanelFolder.State())
    put("255 128 0\n", "\(panel.light)/multi_intensity")
    #expect(!panel.read().isLit)
    put("255\n", "\(panel.light)/brightness")
    #expect(panel.read() == SimulatedPanelFolder.State(red: 255, green: 128, blue: 0))
    put("0\n", "\(panel.light)/brightness")
    #expect(!panel.read().isLit, "what a plain file keeps behind the line does not count")
}

@Test func aLightOfOneColourHasThreeEqualParts() throws {
    let panel = try SimulatedPanelFolder(lightName: "act", isColoured: false)
    #expect(access("\(panel.light)/multi_intensity", F_OK) != 0 && panel.light.hasSuffix("/leds/act"))
    put("100\n", "\(panel.light)/brightness")
    #expect(panel.read() == SimulatedPanelFolder.State(red: 100, green: 100, blue: 100))
}

/// What the kernel would not take, and parts in the order of `multi_index`.
@Test(arguments: [
    ("300", "255 300 -1", "red green blue", [255, 255, 0]), ("-5", "255 255 255", "red green blue", [0, 0, 0]),
    ("", "255 255 255", "red green blue", [0, 0, 0]), ("255", "1 2 3", "blue red green", [2, 3, 1]),
    ("255", "1 2", "red green blue", [1, 2, 0]), ("255", "1 2 3", "red green white", [1, 2, 0]),
    ("128", "255 1 2", "red green blue", [128, 0, 1]), ("1", "255 254 0", "red green blue", [1, 0, 0]),
])
func aLightHasItsPartsWithinTheirBounds(brightness: String, parts: String, index: String, colour: [Int]) throws {
    let panel = try SimulatedPanelFolder()
    put(brightness + "\n", "\(panel.light)/brightness")
    put(parts + "\n", "\(panel.light)/multi_intensity")
    put(index + "\n", "\(panel.light)/multi_index")
    let state = panel.read()
    #expect([state.red, state.green, state.blue] == colour && state.isLit == colour.contains { $0 > 0 })
}

/// Always low and always high are silent.
@Test(
    arguments: [
        ("1000", "0", "1", nil), ("1000", "1", "1", 1e6), ("1000", "999", "1", 1e6), ("1000", "1000", "1", nil),
        ("1000", "500", "0", nil), ("1000", "500", "2", nil), ("0", "0", "1", nil), ("x", "1", "1", nil),
    ] as [(String, String, String, Double?)])
func aBuzzerSoundsWhereItsPinMoves(period: String, duty: String, enable: String, tone: Double?) throws {
    let panel = try SimulatedPanelFolder()
    for (name, text) in [("period", period), ("duty_cycle", duty), ("enable", enable)] {
        put(text + "\n", "\(panel.buzzer)/\(name)")
    }
    #expect(panel.read().tone == tone)
}

@Test func theBuzzerSoundsWhenEnabledWithADutyCycle() throws {
    let panel = try SimulatedPanelFolder()
    put("500000\n", "\(panel.buzzer)/period")
    put("250000\n", "\(panel.buzzer)/duty_cycle")
    #expect(panel.read().tone == nil)
    put("1\n", "\(panel.buzzer)/enable")
    #expect(panel.read().tone == 2000)
    put("0\n", "\(panel.buzzer)/duty_cycle")
    #expect(panel.read().tone == nil)
}

@Test func theFolderGoesWithItsPanel() throws {
    var panel: SimulatedPanelFolder? = try SimulatedPanelFolder()
    let path = try #require(panel).path
    #expect(access(path, F_OK) == 0)
    panel = nil
    #expect(access(path, F_OK) != 0)
}
