// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Plays a USB-to-I2C adapter with simulated chips behind it for a virtual machine: QEMU's
/// `usb-redir` device connects to one Unix socket, a test gives orders through another.
///
///     usb-i2c-adapter usb.sock control.sock "walk 60s; rest 60s" LIS3DH@0x18 LIS3MDL@0x1E
@main struct UsbI2cAdapter {
    static func main() {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 4 else {
            complain("usage: usb-i2c-adapter USB-SOCKET CONTROL-SOCKET WORLD-SCRIPT CHIP@ADDRESS...")
            exit(2)
        }
        do {
            let bench = try ChipBench(Array(words[3...]), script: words[2], clock: SystemClock())
            try AdapterServer(usb: words[0], control: words[1], bench: bench).run()
        } catch {
            complain("\(error)")
            exit(1)
        }
    }
}
