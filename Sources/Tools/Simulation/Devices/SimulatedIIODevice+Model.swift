// SPDX-License-Identifier: Apache-2.0
import Base

extension SimulatedIIODevice {
    /// Three channels of one kind.
    package struct Sensor: Sendable {
        /// `accel`, `anglvel`, `magn`.
        package let kind: String
        /// Units of IIO per count: m/s², rad/s, gauss.
        package let scale: Double
        /// What it feels, in those units.
        package let signal: Signal

        package init(kind: String, scale: Double, signal: @escaping Signal) {
            self.kind = kind
            self.scale = scale
            self.signal = signal
        }
    }

    /// How the driver reports the chip's temperature.
    package struct Thermometer: Sendable {
        /// Added to the counts.
        package let offset: Double
        /// Thousandths of a degree Celsius per count.
        package let scale: Double
        /// It is an element of the scans.
        package var isScanned = false
        /// Its attribute cannot be read while the buffer runs (EBUSY of
        /// `iio_device_claim_direct_mode`; here it is not there).
        package var isBusy = false
        /// It gives thousandths of a degree itself, in `in_temp_input`.
        package var isProcessed = false
        /// Degrees Celsius at a moment.
        private var degrees: @Sendable (MonotonicTime) -> Double

        package init(offset: Double, scale: Double, degrees: @escaping @Sendable (MonotonicTime) -> Double) {
            (self.offset, self.scale, self.degrees) = (offset, scale, degrees)
        }

        func counts(at moment: MonotonicTime) -> Int64 {
            let milli = degrees(moment) * 1000
            return Int64((isProcessed ? milli : milli / scale - offset).rounded())
        }

        var name: String { isProcessed ? "in_temp_input" : "in_temp_raw" }
    }

    /// Which device it is: its name, channels and what its driver offers.
    package struct Model: Sendable {
        /// The driver's name for it.
        package var name: String
        /// The device tree's name for it; empty without one.
        package var label = ""
        /// In the order of the scan.
        package var sensors: [Sensor]
        /// The `type` of every channel.
        package var type = "le:s16/16>>0"
        /// Samples per second after power-on.
        package var rate = 100.0
        /// It measures only with a separate trigger.
        package var needsTrigger = false
        /// The clock of its time stamps can be chosen; otherwise it is the wall clock.
        package var hasClockChoice = true
        /// Its driver has a buffer; otherwise it is read attribute by attribute.
        package var hasBuffer = true
        /// Relative error of its rate.
        package var rateError = 0.0
        /// nil without one.
        package var thermometer: Thermometer?
        /// From each start of its buffer until it measures; its first sample comes a period later.
        package var startUp = Duration.zero

        package init(name: String, sensors: [Sensor]) {
            self.name = name
            self.sensors = sensors
        }
    }
}
