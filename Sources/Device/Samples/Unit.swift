// SPDX-License-Identifier: Apache-2.0

/// What a number measures. The raw value is written to files. Every `Channel` has one.
package enum Unit: String, Sendable, Hashable {
    case standardGravity = "g"
    case degreesPerSecond = "deg/s"
    case microtesla = "uT"
    case decibelFullScale = "dBFS"
    case pcm = "PCM"
    case text = "text"
}
