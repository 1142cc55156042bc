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
