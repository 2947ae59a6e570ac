"""The console: a page that shows a lake in a browser.

Plain ES modules in ``assets``, loaded as they are: nothing is built, and nothing comes from another host. ``vendor``
has the libraries that they use (``scripts/vendor_console.py``). All data comes from the public API.
"""
