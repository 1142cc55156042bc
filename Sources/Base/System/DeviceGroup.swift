// SPDX-License-Identifier: Apache-2.0

/// The group with access to a device, for the message to a user who was refused (`SystemError`) and for
/// `LightName`.
///
/// The rules are systemd's own (50-udev-default.rules: video, input, audio, dialout) and
/// `udev/70-studyd.rules` (gpio, i2c). A test compares this table with both, and with
/// the groups in the systemd unit.
package enum DeviceGroup {
    /// Beginnings of paths; the first that fits decides.
    private static let table: [(path: String, group: String)] = [
        ("/dev/fb", "video"), ("/dev/input/", "input"), ("/dev/snd/", "audio"), ("/dev/i2c-", "i2c"),
        ("/dev/gpiochip", "gpio"), ("/dev/iio:device", "gpio"), ("/sys/class/leds/", "gpio"),
        ("/sys/class/pwm/", "gpio"), ("/sys/bus/iio/", "gpio"), ("/dev/serial", "dialout"), ("/dev/ttyS", "dialout"),
        ("/dev/ttyAMA", "dialout"), ("/dev/ttyUSB", "dialout"), ("/dev/ttyACM", "dialout"),
    ]

    /// The group of a device file or a folder of sysfs; nil for what belongs to no group.
    package static func of(_ path: String) -> String? { table.first { path.hasPrefix($0.path) }?.group }

    /// What a user who may not open `path` can do.
    static func remedy(_ path: String) -> String {
        guard let group = of(path) else { return "give the user of studyd access to it" }
        return
            "the user of studyd needs the group \(group) (usermod -aG \(group) studyd, then restart the service; the rules of udev give the device to it), or, where 'studyd udev' wrote the rules, write them again for this board"
    }
}
