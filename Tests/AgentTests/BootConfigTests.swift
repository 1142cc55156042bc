// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

/// The forms of raspberrypi/firmware, boot/overlays/README: `dtparam=<name>=<value>`, several joined
/// by commas, a flag without a value is on, `i2c` is an alias of `i2c_arm`, and off is off.
@Suite struct BootConfigTests {
    @Test(arguments: [
        ("dtparam=i2c_arm=on", BootConfig.Setting.on), ("dtparam=i2c_arm=on,i2c_arm_baudrate=400000", .on),
        ("dtparam=audio=on,i2c=on", .on), ("dtparam=i2c_arm", .on), ("[all]\r\ndtparam=i2c_arm=1\r\n", .on),
        ("dtparam=i2c_arm=off", .off(1)), ("dtparam=i2c_arm_baudrate=400000", .absent), ("", .absent),
        ("# dtparam=i2c_arm=on", .commented(1)), ("enable_uart=1\r\n#dtparam=i2c_arm=on\r\n", .commented(2)),
        ("#dtparam=i2c_arm=on\ndtparam=i2c_arm=on", .on), ("dtoverlay=i2c-gpio", .absent),
        // The firmware applies them in order, so the last one stands; raspi-config (do_i2c) writes `=off`.
        ("dtparam=i2c_arm=on\ndtparam=i2c_arm=off\n", .off(2)), ("dtparam=i2c_arm=off\ndtparam=i2c=on\n", .on),
        ("#dtparam=i2c_arm=on\ndtparam=i2c_arm=off", .off(2)), ("dtparam=i2c_arm=on,i2c_arm=off", .off(1)),
        ("#dtparam=i2c_arm=off", .absent),
        // A parameter of an overlay is not the board's own.
        ("dtoverlay=hat,i2c_arm=on", .absent), ("#dtoverlay=hat,i2c_arm=on", .absent), ("i2c_arm=on", .absent),
    ])
    func aBusIsSwitchedOnAsTheFirmwareReadsIt(_ text: String, _ setting: BootConfig.Setting) {
        #expect(BootConfig(text).parameter("i2c_arm") == setting)
    }

    @Test func anotherBusHasAnotherName() {
        #expect(BootConfig("dtparam=i2c=on").parameter("i2c_vc") == .absent)
        #expect(BootConfig("dtparam=i2c_vc=on").parameter("i2c_vc") == .on)
    }
}
