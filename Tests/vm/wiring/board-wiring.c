// SPDX-License-Identifier: GPL-2.0-only
// What a device tree would say of the virtual board: three keys, a LED and a piezo on lines of
// gpio-sim, served by the kernel's own drivers (gpio-keys, leds-gpio, pwm-gpio). A PC has no device
// tree, and Debian no way to load a piece of ACPI that could name gpio-sim's lines.
#include <linux/gpio/machine.h>
#include <linux/gpio_keys.h>
#include <linux/input.h>
#include <linux/leds.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static int base = -1;
module_param(base, int, 0444);
MODULE_PARM_DESC(base, "number of the first line of the chip that is called studyd-board");

#define KEY(offset, key, name) {.code = key, .gpio = offset, .active_low = 1, .desc = name, .type = EV_KEY, .debounce_interval = 5}
static struct gpio_keys_button buttons[] = {KEY(7, KEY_LEFT, "left"), KEY(8, KEY_ENTER, "enter"), KEY(9, KEY_RIGHT, "right")};
static const struct gpio_keys_platform_data keys = {.buttons = buttons, .nbuttons = ARRAY_SIZE(buttons), .name = "board keys"};

static const struct gpio_led led[] = {{.name = "status"}};
static const struct gpio_led_platform_data leds = {.leds = led, .num_leds = ARRAY_SIZE(led)};

static struct gpiod_lookup_table led_lines = {
	.dev_id = "leds-gpio", .table = {GPIO_LOOKUP_IDX("studyd-board", 10, NULL, 0, GPIO_ACTIVE_HIGH), {}}};
static struct gpiod_lookup_table piezo_lines = {
	.dev_id = "pwm-gpio", .table = {GPIO_LOOKUP("studyd-board", 18, NULL, GPIO_ACTIVE_HIGH), {}}};

static struct platform_device *devices[3];

static int __init wire(void)
{
	size_t i;

	if (base < 0)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(buttons); i++)
		buttons[i].gpio += base;
	gpiod_add_lookup_table(&led_lines);
	gpiod_add_lookup_table(&piezo_lines);
	devices[0] = platform_device_register_data(NULL, "gpio-keys", PLATFORM_DEVID_NONE, &keys, sizeof(keys));
	devices[1] = platform_device_register_data(NULL, "leds-gpio", PLATFORM_DEVID_NONE, &leds, sizeof(leds));
	devices[2] = platform_device_register_simple("pwm-gpio", PLATFORM_DEVID_NONE, NULL, 0);
	return 0;
}

static void __exit unwire(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		if (!IS_ERR(devices[i]))
			platform_device_unregister(devices[i]);
	gpiod_remove_lookup_table(&piezo_lines);
	gpiod_remove_lookup_table(&led_lines);
}

module_init(wire);
module_exit(unwire);
MODULE_DESCRIPTION("The virtual board's wiring");
MODULE_LICENSE("GPL");
