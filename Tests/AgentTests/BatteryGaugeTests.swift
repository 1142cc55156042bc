// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

/// By Documentation/ABI/testing/sysfs-class-power of the kernel.
@Suite struct BatteryGaugeTests {
    @Test func theBoardsOwnBatteryIsReadInVolts() throws {
        let tree = try SysfsTree()
        #expect(BatteryGauge(root: tree.path).volts == nil)
        tree["class/power_supply/ac/type"] = "Mains\n"
        tree["class/power_supply/a-mouse/type"] = "Battery\n"
        tree["class/power_supply/a-mouse/scope"] = "Device\n"
        tree["class/power_supply/a-mouse/voltage_now"] = "1500000\n"
        tree["class/power_supply/b-empty/type"] = "Battery\n"
        tree["class/power_supply/b-empty/present"] = "0\n"
        tree["class/power_supply/b-empty/voltage_now"] = "3000000\n"
        #expect(BatteryGauge(root: tree.path).volts == nil)
        tree["class/power_supply/max17040/type"] = "Battery\n"
        tree["class/power_supply/max17040/voltage_now"] = "3871250\n"
        #expect(BatteryGauge(root: tree.path).volts == 3.87125)
    }
}
