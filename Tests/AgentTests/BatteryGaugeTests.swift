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
        #expect(BatteryGauge(root: tree.path).charge == nil)
        tree["class/power_supply/max17040/capacity"] = "73\n"
        tree["class/power_supply/max17040/status"] = "Discharging\n"
        let charge = BatteryGauge(root: tree.path).charge
        #expect(charge?.percent == 73 && charge?.isCharging == false)
        tree["class/power_supply/max17040/status"] = "Full\n"
        #expect(BatteryGauge(root: tree.path).charge?.isCharging == true)
    }

    @Test(
        arguments: [
            ("Unknown", .unknown, false), ("Charging", .charging, true), ("Discharging", .discharging, false),
            ("Not charging", .notCharging, false), ("Full", .full, true), ("Resting", .unknown, false),
            (nil, .unknown, false),
        ] as [(String?, BatteryGauge.Status, Bool)])
    func theStatusIsTheKernels(_ word: String?, _ status: BatteryGauge.Status, _ isCharging: Bool) throws {
        let tree = try SysfsTree()
        tree["class/power_supply/bat/type"] = "Battery\n"
        tree["class/power_supply/bat/capacity"] = "73\n"
        if let word { tree["class/power_supply/bat/status"] = word + "\n" }
        let charge = BatteryGauge(root: tree.path).charge
        #expect(charge == BatteryGauge.Charge(percent: 73, status: status) && charge?.isCharging == isCharging)
    }

    /// By Documentation/ABI/testing/sysfs-bus-iio of the kernel: processed as it is, raw as (raw +
    /// offset) * scale.
    @Test func lightIsReadInLux() throws {
        let tree = try SysfsTree()
        #expect(LightGauge(root: tree.path).lux == nil)
        tree["bus/iio/devices/iio:device0/in_accel_x_raw"] = "12\n"
        tree["bus/iio/devices/iio:device1/in_illuminance_raw"] = "1500\n"
        tree["bus/iio/devices/iio:device1/in_illuminance_scale"] = "0.25\n"
        #expect(LightGauge(root: tree.path).lux == 375)
        tree["bus/iio/devices/iio:device1/in_illuminance_input"] = "380.5\n"
        #expect(LightGauge(root: tree.path).lux == 380.5)
    }
}
